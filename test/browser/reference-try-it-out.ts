import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Checks } from './harness.ts';
import { beginTrial, execute, goToReference, openOperation, readDocument } from './reference-page.ts';

/** The interactive trial in the reference. */
export const referenceTrialChecks: Checks = {
  'the trial is off for GET /store/orders, and only there': async ({ page, base }) => {
    await goToReference(page, base);
    const { operations } = await readDocument(page, base);
    const without = [];
    for (const { operationId, method, path } of operations) {
      const operation = await openOperation(page, operationId);
      const buttons = await operation.getByRole('button', { name: 'Try it out' }).count();
      if (buttons === 0) without.push(`${method} ${path}`);
      else equal(buttons, 1, operationId);
    }
    deepEqual(without, ['GET /store/orders']);
  },

  'the trial calls this service and shows its answer': async ({ page, base }) => {
    await goToReference(page, base);
    const calls = callsOf(page, base);
    const listed = await beginTrial(page, 'listPets');
    await listed.getByRole('textbox', { name: 'limit' }).fill('3');
    await execute(listed);
    deepEqual(calls, ['GET /pets?sort=id&limit=3']);
    const answer = await listed.getByRole('group', { name: 'Response body' }).innerText();
    equal(answer.match(/"categoryId"/g)?.length, 3);
    match(await listed.locator('.live-responses-table').innerText(), /200[\s\S]*x-request-id[\s\S]*\d+ ms/);

    const created = await beginTrial(page, 'createCategory');
    await created.getByRole('textbox', { name: 'Request body' }).fill('{"name": "From the reference"}');
    await execute(created);
    deepEqual(calls.slice(1), ['POST /categories']);
    const [location] =
      /http\S+\/categories\/\d+/.exec(await created.locator('.live-responses-table').innerText()) ?? [];
    const category = (await (await page.request.get(location ?? '')).json()) as { name: string };
    equal(category.name, 'From the reference');
  },

  'the trial is sent with the key that the reader gives, which this tab alone keeps': async ({ page, base }) => {
    await goToReference(page, base);
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(`${base}/categories`)) sent.push(request.headers().authorization);
    });
    const key = page.getByLabel('API key or token');
    const operation = await beginTrial(page, 'listCategories');
    for (const given of ['', 'psk_secret', '']) {
      await key.fill(given);
      const answered = page.waitForResponse(`${base}/categories**`);
      await execute(operation);
      await answered;
    }
    deepEqual(sent, [undefined, 'Bearer psk_secret', undefined]);
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    equal(kept.includes('psk_secret'), false);
    match(await operation.innerText(), /Needs the scope read where reads are closed/);
    await key.fill('psk_secret');
    await page.reload();
    equal(await key.inputValue(), 'psk_secret');
    equal(await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie), '{}');
    const answered = page.waitForResponse(`${base}/categories**`);
    await execute(await beginTrial(page, 'listCategories'));
    await answered;
    equal(sent.at(-1), 'Bearer psk_secret');
  },

  'under a base path the reference works, and its trial calls what is under it': async ({ page, prefixed }) => {
    await goToReference(page, prefixed, '#/Inventory/listInventory');
    const calls = callsOf(page, new URL(prefixed).origin);
    await execute(await beginTrial(page, 'listInventory'));
    deepEqual(calls, ['GET /api/v1/store/inventory?limit=20']);
  },

  'the trial takes and shows integers to the last digit': async ({ page, base, database }) => {
    const id = '9223372036854775807';
    await database.transaction(async (query) => {
      await query('insert into categories (id, name) values ($1, $2)', [id, 'Far']);
      await query('insert into pets (id, name, category_id) values ($1, $2, $1)', [id, 'Far']);
    });
    await goToReference(page, base);
    const calls = callsOf(page, base);
    for (const [operationId, control, address] of [
      ['getPet', 'petId', `GET /pets/${id}`],
      ['replacePet', 'petId', `PUT /pets/${id}`],
    ] as const) {
      const operation = await beginTrial(page, operationId);
      await operation.getByRole('textbox', { name: control }).fill(id);
      if (operationId === 'replacePet') {
        const body = operation.getByRole('textbox', { name: 'Request body' });
        await body.fill(`{"id": ${id}, "name": "Far", "categoryId": ${id}}`);
      }
      await execute(operation);
      equal(calls.at(-1), address);
      const answer = await operation.getByRole('group', { name: 'Response body' }).innerText();
      deepEqual(answer.match(/\d{10,}/g), [id, id]);
    }
  },

  'the trial shows how long the network took, however busy the page is': async ({ page, base }) => {
    await goToReference(page, base);
    const operation = await beginTrial(page, 'listCategories');
    // As text, for a function of the test would bring along what its compiler adds.
    await page.evaluate(`{
      const sent = window.fetch;
      window.fetch = (...asked) => {
        setTimeout(() => { for (const until = performance.now() + 300; performance.now() < until; ); });
        return sent(...asked);
      };
    }`);
    await execute(operation);
    const shown = /(\d+) ms/.exec(await operation.locator('.live-responses-table').innerText())?.[1];
    ok(Number(shown) < 250, `It shows ${shown} ms.`);
  },

  'the whole answer can be copied from where it is seen': async ({ page, base }) => {
    await goToReference(page, base);
    const listed = await beginTrial(page, 'listPets');
    await listed.getByRole('textbox', { name: 'limit' }).fill('100');
    await execute(listed);
    const box = await listed.getByRole('group', { name: 'Response body' }).boundingBox();
    const copy = await listed.locator('.response-body .copy-to-clipboard').boundingBox();
    ok(box !== null && copy !== null && copy.y >= box.y && copy.y + copy.height <= box.y + box.height);
  },

  'a script cannot try GET /store/orders by the page either': async ({ page, base }) => {
    await goToReference(page, base);
    const calls = callsOf(page, base);
    const answered = page.waitForResponse(/inventory/);
    for (const path of ['/store/orders', '/store/inventory']) {
      await page.evaluate((pathName) => {
        const { specActions, specSelectors } = (window as unknown as { ui: SwaggerUi }).ui;
        const operation = specSelectors.specJson().getIn(['paths', pathName, 'get']);
        const request = { pathName, method: 'get', operation, spec: specSelectors.specJS(), parameters: {} };
        specActions.executeRequest(request);
        specActions.executeRequest({ ...request, pathName: '/elsewhere' });
        specActions.execute({ path: pathName, method: 'get', operation });
      }, path);
    }
    await answered;
    deepEqual([...new Set(calls)], ['GET /store/inventory']);
  },

  'the reference asks no other machine, also where no policy keeps it from it': async ({ open, base }) => {
    const page = await open({ bypassCSP: true });
    await goToReference(page, base);
    const { operations } = await readDocument(page, base);
    for (const { operationId } of operations) await openOperation(page, operationId);
    await execute(await beginTrial(page, 'listPets'));
  },
};

interface SwaggerUi {
  readonly specSelectors: { specJson(): { getIn(path: readonly string[]): unknown }; specJS(): unknown };
  readonly specActions: { executeRequest(request: object): void; execute(request: object): void };
}

/** The calls that the page makes from now on, as they are made. */
function callsOf(page: Page, origin: string): string[] {
  const calls: string[] = [];
  page.on('request', (request) => calls.push(`${request.method()} ${request.url().replace(origin, '')}`));
  return calls;
}
