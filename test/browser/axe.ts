import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** By default, axe leaves out the size of what is touched (WCAG 2.2, 2.5.8). */
const RUN = "axe.run({ rules: { 'target-size': { enabled: true } } })";

/** Finds inputs whose border has a contrast of less than 3 to what is around them (WCAG 2.2, 1.4.11): axe has no rule for it. */
const FAINT = `{
  const { Color, getContrast } = axe.commons.color;
  const read = (text) => {
    const color = new Color();
    color.parseString(text);
    return color;
  };
  const behind = (element) => {
    const color = read(getComputedStyle(element).backgroundColor);
    return color.alpha === 0 ? behind(element.parentElement) : color;
  };
  const inputs = [...document.querySelectorAll(':is(input:not([type="checkbox"]), select, textarea):enabled')];
  inputs
    .filter((input) => getContrast(behind(input.parentElement), read(getComputedStyle(input).borderTopColor)) < 3)
    .map(({ outerHTML }) => 'faint border: ' + outerHTML);
}`;

/** The accessibility rules of axe that the page breaks in its current state, each with the elements. */
export async function brokenRules(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate<AxeResults>(RUN);
  if (passes.length <= 10) return [`axe looked at ${passes.length} rules only`];
  const broken = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  return [...broken, ...(await page.evaluate<string[]>(FAINT))];
}
