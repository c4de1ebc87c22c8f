import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Checks } from './harness.ts';
import { execute, goToReference, inspectOperations, tryItOut } from './reference-page.ts';

/** "Try it out" in the reference. */
export const tryItOutChecks: Checks = {
  '"Try it out" is off for GET /store/orders only': async ({ page, base }) => {
    await goToReference(page, base);
    const without: string[] = [];
    await inspectOperations(page, base, async (operation, { operationId, method, path }) => {
      const buttons = await operation.getByRole('button', { name: 'Try it out' }).count();
      if (buttons === 0) without.push(`${method} ${path}`);
      else equal(buttons, 1, operationId);
    });
    deepEqual(without, ['GET /store/orders']);
  },

  '"Try it out" sends the request to this service and shows the response': async ({ page, base }) => {
    await goToReference(page, base);
    const calls = callsOf(page, base);
    const listed = await tryItOut(page, 'listPets');
    await listed.getByRole('textbox', { name: 'limit' }).fill('3');
    await execute(listed);
    deepEqual(calls, ['GET /pets?sort=id&limit=3']);
    const answer = await listed.getByRole('group', { name: 'Response body' }).innerText();
    equal(answer.match(/"categoryId"/g)?.length, 3);
    match(await listed.locator('.live-responses-table').innerText(), /200[\s\S]*x-request-id[\s\S]*\d+ ms/);

    const created = await tryItOut(page, 'createCategory');
    await created.getByRole('textbox', { name: 'Request body' }).fill('{"name": "From the reference"}');
    await execute(created);
    deepEqual(calls.slice(1), ['POST /categories']);
    const [location] =
      /http\S+\/categories\/\d+/.exec(await created.locator('.live-responses-table').innerText()) ?? [];
    const category = (await (await page.request.get(location ?? '')).json()) as { name: string };
    equal(category.name, 'From the reference');
  },

  '"Try it out" sends the key that the reader enters, which is stored for this tab only': async ({ page, base }) => {
    await goToReference(page, base);
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(`${base}/categories`)) sent.push(request.headers().authorization);
    });
    const key = page.getByLabel('API key or token');
    const operation = await tryItOut(page, 'listCategories');
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
    await execute(await tryItOut(page, 'listCategories'));
    await answered;
    equal(sent.at(-1), 'Bearer psk_secret');
  },

  'a link beside the response says where the missing key is typed, and leads there': async ({ page, base }) => {
    const rejection = { code: 'UNAUTHENTICATED', message: 'This needs an API key.', status: 401 };
    await page.route(`${base}/categories**`, (route) => route.fulfill({ status: 401, json: rejection }));
    await goToReference(page, base);
    const operation = await tryItOut(page, 'listCategories');
    await execute(operation);
    await operation.getByRole('link', { name: 'at the top of this page' }).click();
    await page.waitForURL(`${base}/reference#credential`);
    equal(await page.evaluate(() => document.activeElement?.id), 'credential');
  },

  'the reference works under a base path, and "Try it out" uses it': async ({ page, prefixed }) => {
    await goToReference(page, prefixed, '#/Inventory/listInventory');
    const calls = callsOf(page, new URL(prefixed).origin);
    await execute(await tryItOut(page, 'listInventory'));
    deepEqual(calls, ['GET /api/v1/store/inventory?limit=20']);
  },

  '"Try it out" sends and shows integers to the last digit': async ({ page, base, database }) => {
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
      const operation = await tryItOut(page, operationId);
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

  '"Try it out" shows the time of the network, however busy the page is': async ({ page, base }) => {
    await goToReference(page, base);
    const operation = await tryItOut(page, 'listCategories');
    // As text, because the compiler would add helpers to a function of the test.
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

  'a stream shows the events of its first seconds': async ({ page, base }) => {
    await goToReference(page, base);
    const operation = await tryItOut(page, 'listEvents');
    await operation.getByRole('combobox', { name: 'Media Type' }).selectOption('text/event-stream');
    for (const name of ['limit', 'wait']) await operation.getByRole('textbox', { name, exact: true }).fill('');
    const answered = page.waitForResponse(`${base}/events`);
    await operation.getByRole('button', { name: 'Execute' }).click();
    await answered;
    const headers = { 'content-type': 'application/json' };
    await page.request.post(`${base}/categories`, { headers, data: '{"name": "In the stream"}' });
    await operation.locator('.live-responses-table', { hasText: 'In the stream' }).waitFor();
    equal(await operation.locator('.loading').count(), 0);
  },

  'the whole response can be copied': async ({ page, base }) => {
    await goToReference(page, base);
    const listed = await tryItOut(page, 'listPets');
    await listed.getByRole('textbox', { name: 'limit' }).fill('100');
    await execute(listed);
    const box = await listed.getByRole('group', { name: 'Response body' }).boundingBox();
    const copy = await listed.locator('.response-body .copy-to-clipboard').boundingBox();
    ok(box !== null && copy !== null && copy.y >= box.y && copy.y + copy.height <= box.y + box.height);
  },

  'a script in the page cannot try GET /store/orders out either': async ({ page, base }) => {
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

  'the reference sends no request to another host, even without a content security policy': async ({ open, base }) => {
    const page = await open({ bypassCSP: true });
    await goToReference(page, base);
    await inspectOperations(page, base, async () => {});
    await execute(await tryItOut(page, 'listPets'));
  },
};

interface SwaggerUi {
  readonly specSelectors: { specJson(): { getIn(path: readonly string[]): unknown }; specJS(): unknown };
  readonly specActions: { executeRequest(request: object): void; execute(request: object): void };
}

/** The requests of the page from now on. */
function callsOf(page: Page, origin: string): string[] {
  const calls: string[] = [];
  page.on('request', (request) => calls.push(`${request.method()} ${request.url().replace(origin, '')}`));
  return calls;
}
