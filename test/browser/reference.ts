import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { brokenRules } from './axe.ts';
import type { Checks } from './harness.ts';
import {
  type DocumentedOperation,
  execute,
  goToReference,
  openOperation,
  readDocument,
  tryItOut,
} from './reference-page.ts';

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1400, 390].map((width) => ({ colorScheme, viewport: { width, height: 900 } })),
);

function levelsOf(operation: DocumentedOperation): string[] {
  return [...(operation.deprecated ? ['deprecated'] : []), ...[operation['x-stability'] ?? []].flat()];
}

/** Waits until the element is at the top of the window. */
async function isAtTop(element: Locator): Promise<void> {
  const place = await element.elementHandle();
  await element.page().waitForFunction((one) => Math.abs(one?.getBoundingClientRect().top ?? 100) < 30, place);
}

/** The content of the reference. */
export const referenceChecks: Checks = {
  'the reference has each operation once, by tag, in the groups and the order of the document': async ({
    page,
    base,
  }) => {
    await goToReference(page, base);
    const { groups, operations } = await readDocument(page, base);
    deepEqual(groups.map(({ name }) => name).toSorted(), ['Pets', 'Service', 'Store']);
    const shown = await page.locator('main .group').evaluateAll((sections) =>
      sections.map((section) => ({
        name: section.querySelector('h2')?.textContent,
        tags: [...section.querySelectorAll('.tag')].map((tag) => ({
          name: tag.querySelector('h3')?.textContent,
          operations: [...tag.querySelectorAll('.operation')].map(
            (operation) =>
              `${operation.querySelector('.method')?.textContent} ${operation.querySelector('.path')?.textContent}`,
          ),
        })),
      })),
    );
    const expected = groups.map(({ name, tags }) => ({
      name,
      tags: tags.map((tag) => ({
        name: tag,
        operations: operations.filter(({ tags: [own] }) => own === tag).map(({ method, path }) => `${method} ${path}`),
      })),
    }));
    deepEqual(shown, expected);
    equal(await page.locator('.operation').count(), operations.length);
  },

  'its navigation has the same operations, with links to them': async ({ page, base }) => {
    await goToReference(page, base);
    const { groups, operations } = await readDocument(page, base);
    const navigation = page.getByRole('navigation');
    deepEqual(
      await navigation.locator('.group-name, .tag-name').allInnerTexts(),
      groups.flatMap(({ name, tags }) => [name, ...tags]),
    );
    const inOrder = groups.flatMap(({ tags }) =>
      tags.flatMap((tag) => operations.filter((one) => one.tags[0] === tag)),
    );
    deepEqual(
      await navigation.locator('li a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      inOrder.map(({ tags, operationId }) => `#/${tags[0]}/${operationId}`),
    );
    await navigation.getByRole('link', { name: 'List inventory entries' }).click();
    const operation = page.locator('#listInventory');
    await operation.getByRole('button', { name: 'Try it out' }).waitFor();
    match(page.url(), /#\/Inventory\/listInventory$/);
    ok(await operation.locator('.summary').evaluate((summary) => summary === document.activeElement));
    await isAtTop(operation);
  },

  'its first link leads past the navigation, with the focus': async ({ page, base }) => {
    await goToReference(page, base);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${base}/reference#content`);
    await page.keyboard.press('Tab');
    ok(await page.locator('main').evaluate((main) => main.contains(document.activeElement)));
  },

  'a link to an operation opens it': async ({ page, base }) => {
    await goToReference(page, base, '#/Orders/updateOrder');
    const operation = page.locator('#updateOrder');
    await operation.getByRole('button', { name: 'Try it out' }).waitFor();
    await isAtTop(operation);
    equal(await page.locator('.summary[aria-expanded="true"]').count(), 1);
  },

  'a tag may contain a slash': async ({ page, base }) => {
    await page.route('**/openapi.json', async (route) => {
      const text = await (await route.fetch()).text();
      await route.fulfill({ body: text.replaceAll('"Orders"', '"Orders/sales"'), contentType: 'application/json' });
    });
    await goToReference(page, base);
    await page.getByRole('navigation').getByRole('link', { name: 'Place an order' }).click();
    await page.locator('#placeOrder').getByRole('button', { name: 'Try it out' }).waitFor();
  },

  'a step back shows the operation at once, without an animation': async ({ page, base }) => {
    await goToReference(page, base, '#/Animals/listPets');
    await page.getByRole('navigation').getByRole('link', { name: 'Place an order' }).click();
    await isAtTop(page.locator('#placeOrder'));
    await page.goBack();
    await page.waitForTimeout(200);
    ok(Math.abs((await page.locator('#listPets').boundingBox())?.y ?? 100) < 30);
  },

  'each annotated operation shows its levels, collapsed and in the navigation, and no other operation does': async ({
    page,
    base,
  }) => {
    await goToReference(page, base);
    const { operations } = await readDocument(page, base);
    ok(operations.filter((operation) => levelsOf(operation).length > 0).length >= 5);
    for (const operation of operations) {
      const { operationId } = operation;
      const link = page.locator(`nav a[href$="/${operationId}"]`);
      for (const place of [page.locator(`#${operationId} .summary`), link]) {
        deepEqual(await place.locator('.badge').allInnerTexts(), levelsOf(operation), operationId);
      }
    }
  },

  'a deprecated operation shows its sunset, the reason, and its successor as a link to it': async ({ page, base }) => {
    await goToReference(page, base);
    const { operations } = await readDocument(page, base);
    const deprecated = operations.filter((operation) => operation.deprecated);
    ok(deprecated.some(({ method, path }) => `${method} ${path}` === 'GET /pets/{petId}'));
    for (const { operationId, 'x-successor': successor, ...operation } of deprecated) {
      const note = page.locator(`#${operationId} .note`);
      const { 'x-deprecated-sunset': sunset, 'x-deprecated-reason': reason } = operation;
      ok((await note.innerText()).includes(`Sunset on ${sunset}. ${reason} Use`));
      await note.getByRole('link', { name: successor?.operation ?? '', exact: true }).click();
      const isOpen = await page.locator(`#${successor?.operationId} .summary`).getAttribute('aria-expanded');
      equal(isOpen, 'true', successor?.operationId);
    }
  },

  'an element that is beta and deprecated shows both; parameters and properties show theirs': async ({
    page,
    base,
  }) => {
    const annotation = { deprecated: true, 'x-deprecated-sunset': '2028-01-31', 'x-stability': 'beta' };
    await page.route('**/openapi.json', async (route) => {
      const document = await (await route.fetch()).json();
      Object.assign(document.paths['/pets'].post, annotation);
      Object.assign(document.paths['/pets'].get.parameters[1], annotation);
      Object.assign(document.components.schemas.NewPet.properties.name, annotation);
      await route.fulfill({ json: document });
    });
    await goToReference(page, base);
    deepEqual(await page.locator('#createPet .summary .badge').allInnerTexts(), ['deprecated', 'beta']);
    const listed = await openOperation(page, 'listPets');
    const created = await openOperation(page, 'createPet');
    await created.getByRole('tab', { name: 'Schema' }).first().click();
    for (const annotated of [listed.locator('[data-param-name="status"] + tr'), created.locator('tr.deprecated')]) {
      deepEqual(await annotated.locator('.badge').allInnerTexts(), ['deprecated', 'beta']);
      ok((await annotated.innerText()).includes('Sunset on 2028-01-31'));
    }
    equal(await page.locator('.opblock-body .badge').count(), 4);
    deepEqual(await brokenRules(page), []);
  },

  'an annotated value of an enum is shown beneath the parameter and the property that have it': async ({
    page,
    base,
  }) => {
    const sold = { deprecated: true, 'x-deprecated-sunset': '2028-01-31' };
    await page.route('**/openapi.json', async (route) => {
      const document = await (await route.fetch()).json();
      document.components.schemas.PetStatus['x-enum-marks'] = { sold };
      await route.fulfill({ json: document });
    });
    await goToReference(page, base);
    const listed = await openOperation(page, 'listPets');
    const created = await openOperation(page, 'createPet');
    await created.getByRole('tab', { name: 'Schema' }).first().click();
    const ofProperty = created.locator('.property-row', { hasText: 'status' }).first();
    for (const annotated of [listed.locator('[data-param-name="status"] + tr'), ofProperty]) {
      const value = annotated.locator('.annotations .value');
      equal(await value.innerText(), 'solddeprecatedSunset on 2028-01-31.');
    }
    deepEqual(await brokenRules(page), []);
  },

  'on a phone the navigation collapses, and nothing is wider than the screen': async ({ open, base }) => {
    const page = await open({ viewport: { width: 390, height: 844 } });
    await goToReference(page, base);
    const link = page.getByRole('navigation').getByRole('link', { name: 'Create a pet' });
    ok(!(await link.isVisible()));
    await page.getByRole('button', { name: 'Operations' }).click();
    await link.click();
    ok(!(await link.isVisible()));
    await openOperation(page, 'createPet');
    await execute(await tryItOut(page, 'listPets'));
    equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  },

  ...Object.fromEntries(
    LOOKS.map((look) => [
      `axe finds no broken rule in the reference, ${look.colorScheme} and ${look.viewport.width} wide`,
      async ({ open, base }) => {
        const page = await open(look);
        await goToReference(page, base);
        deepEqual(await brokenRules(page), []);
        for (const operationId of ['getPet', 'updatePet', 'listOrders']) await openOperation(page, operationId);
        const created = await openOperation(page, 'createPet');
        await created.getByRole('tab', { name: 'Schema' }).first().click();
        await created.getByRole('button', { name: 'Show body and headers of 422' }).click();
        const listed = await tryItOut(page, 'listPets');
        await listed.getByRole('button', { name: 'Add integer item' }).first().click();
        await execute(listed);
        await tryItOut(page, 'createCategory');
        deepEqual(await brokenRules(page), []);
      },
    ]),
  ),
};
