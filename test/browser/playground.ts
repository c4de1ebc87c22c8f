import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { brokenRules } from './axe.ts';
import type { Checks } from './harness.ts';

/** GraphiQL, with examples to run. */
export const playgroundChecks: Checks = {
  'the playground opens with examples, and running one shows data of this service': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    const editor = page.locator('.graphiql-query-editor');
    await editor.getByText('Five pets by name').waitFor();
    ok((await page.locator('.graphiql-tab').count()) >= 3, 'Each example has a tab.');
    await page.getByRole('button', { name: /execute query/i }).click();
    const results = page.locator('.result-window');
    await results.getByText('"nodes"').waitFor();
    match((await results.textContent()) ?? '', /"category"/);
  },

  'an example can be run by Ctrl+Enter': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    const editor = page.locator('.graphiql-query-editor');
    await editor.getByText('Five pets by name').waitFor();
    await page.getByRole('button', { name: 'OpenOrders' }).press('Enter');
    await editor.getByText('the earliest ship date first').waitFor();
    await editor.getByText('the earliest ship date first').click();
    await page.keyboard.press('Control+Enter');
    await page.locator('.result-window').getByText('"totalCount"').waitFor();
  },

  'the button or tab with the focus of the keyboard has a visible outline': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    await page.locator('.graphiql-query-editor').getByText('Five pets by name').waitFor();
    const names = [];
    // Up to the editor, which takes the key for itself.
    for (let n = 0; n < 15; n++) {
      await page.keyboard.press('Tab');
      const [name, width, color] = await page.locator(':focus').evaluate((element) => {
        const { outlineWidth, outlineColor } = getComputedStyle(element);
        return [element.ariaLabel || element.textContent, outlineWidth, outlineColor] as const;
      });
      deepEqual([width, /^rgb\(/.test(color)], ['2px', true], `${name} has the outline ${width} ${color}.`);
      names.push(name);
    }
    ok(names.includes('Pets') && names.includes('Pet store'), `The names are ${names.join(', ')}.`);
  },

  'each example opens at the first click on its tab': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    const editor = page.locator('.graphiql-query-editor');
    for (const [tab, text] of [
      ['OpenOrders', 'the earliest ship date first'],
      ['Lifecycle', 'who still uses them'],
      ['NewPet', 'in the first category'],
      ['Pets', 'Five pets by name'],
    ] as const) {
      await page.getByRole('button', { name: tab, exact: true }).click();
      await editor.getByText(text).waitFor({ timeout: 2_000 });
    }
  },

  'the second visit loads only from the cache, and is ready in under a second': async ({ page, base }) => {
    // The browser has no cache while its requests are intercepted.
    await page.context().unrouteAll();
    const ready = async () => {
      const began = Date.now();
      await page.goto(`${base}/graphql`);
      await page.locator('.graphiql-query-editor').getByText('Five pets by name').waitFor();
      return Date.now() - began;
    };
    await ready();
    // It loads the schema by a POST to the URL of the page itself.
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.result-window').getByText('"nodes"').waitFor();
    await page.goto(`${base}/`);
    const taken = await ready();
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').flatMap((entry) => {
        const { name, transferSize } = entry as PerformanceResourceTiming;
        return name.includes('/playground/') && transferSize > 0 ? [name] : [];
      }),
    );
    deepEqual(loaded, []);
    ok(taken < 1_000, `It took ${taken} ms.`);
  },

  'an error is shown with the message of the service': async ({ page, base }) => {
    await page.goto(`${base}/graphql?query=${encodeURIComponent('{ pets { id }')}`);
    await page.locator('.graphiql-query-editor').getByText('pets').first().waitFor();
    await page.getByRole('button', { name: /execute query/i }).click();
    const results = page.locator('.result-window');
    await results.getByText('GRAPHQL_PARSE_FAILED').waitFor();
    equal(((await results.textContent()) ?? '').includes('at '), false);
  },

  'integers are shown to the last digit': async ({ page, base, database }) => {
    const id = '9223372036854775806';
    await database.transaction((query) => query('insert into categories (id, name) values ($1, $2)', [id, 'Farther']));
    const query = `{ category(categoryId: ${id}) { id name } }`;
    await page.goto(`${base}/graphql?query=${encodeURIComponent(query)}`);
    await page.locator('.graphiql-query-editor').getByText('category').first().waitFor();
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.result-window').getByText(id).waitFor();
  },

  'a long document is not in the URL, and a reload works': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    const editor = page.locator('.graphiql-query-editor');
    await editor.getByText('Five pets by name').waitFor();
    await editor.getByText('Five pets by name').click();
    await page.keyboard.insertText(`\n# ${'long '.repeat(20)}`.repeat(250));
    await page.waitForTimeout(1_000);
    ok(page.url().length < 2_100, `The address has ${page.url().length} characters.`);
    equal((await page.reload())?.status(), 200);
  },

  'the playground fits a phone, and has a link to the home page': async ({ page, base }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${base}/graphql`);
    await page.locator('.graphiql-query-editor').getByText('Five pets').waitFor();
    equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const { width = 0 } = (await page.locator('.graphiql-response').boundingBox()) ?? {};
    ok(width > 250, `The response is ${width} pixels wide.`);
    deepEqual(
      (await brokenRules(page)).filter((rule) => rule.includes('<a ')),
      [],
    );
    await page.getByRole('link', { name: 'Pet store' }).click();
    await page.waitForURL(`${base}/`);
  },

  'the URL has the variables too, and opens with them': async ({ page, base, open }) => {
    const query = 'query Some($first: Int) { pets(first: $first) { nodes { id } } }';
    await page.goto(`${base}/graphql?${new URLSearchParams({ query, variables: '{"first": 77}' })}`);
    const variables = page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)');
    await variables.getByText('77').click();
    for (const key of ['ControlOrMeta+End', 'ArrowLeft', 'Backspace', 'Backspace', '2']) await page.keyboard.press(key);
    await page.waitForURL(/variables=%7B%22first%22%3A\+2%7D$/);
    const other = await open({});
    await other.goto(page.url());
    await other.locator('.graphiql-query-editor').getByText('Some').waitFor();
    await other.getByRole('button', { name: /execute query/i }).click();
    const results = other.locator('.result-window');
    await results.getByText('"nodes"').waitFor();
    equal((await results.textContent())?.match(/"id"/g)?.length, 2);
  },

  'a shared document opens without the variables of another tab, and each tab keeps its own': async ({
    page,
    base,
  }) => {
    const variables = page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines');
    const shown = async (address: string) => {
      await page.goto(base + address);
      await page.locator('.graphiql-query-editor .view-line').first().waitFor();
      return variables.innerText();
    };
    await shown('/graphql');
    await variables.click();
    await page.keyboard.insertText('{"first": 77}');
    // It stores its state a moment after the last key.
    await page.waitForTimeout(1_000);
    match(await shown('/graphql'), /77/);
    equal(await shown('/graphql?query=query+Shared+%7B+__typename+%7D'), '');
    equal(await page.locator('.graphiql-tab').count(), 5);
    await page.waitForTimeout(1_000);
    equal(await shown('/graphql'), '');
    equal(await page.locator('.graphiql-tab').count(), 5);
  },

  'the playground stores no header field, because it may be a credential': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    await page.locator('.graphiql-query-editor').getByText('Five pets by name').waitFor();
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').click();
    await page.keyboard.type('{"authorization": "Bearer psk_secret"}');
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.result-window').getByText('"nodes"').waitFor();
    await page.getByText('psk_secret').first().waitFor();
    // It stores its state a moment after the last key.
    await page.waitForTimeout(1_000);
    equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes('psk_secret')), false);
  },

  'the playground knows the schema': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    await page.getByRole('button', { name: /show documentation explorer/i }).click();
    await page.getByText('root types', { exact: false }).first().waitFor();
  },
};
