import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** By default, axe leaves out the size of what is touched (WCAG 2.2, 2.5.8). */
const RUN = "axe.run({ rules: { 'target-size': { enabled: true } } })";

/** The accessibility rules of axe that the page breaks in its current state, each with the elements. */
export async function brokenRules(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate<AxeResults>(RUN);
  if (passes.length <= 10) return [`axe looked at ${passes.length} rules only`];
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}
