import { equal, match, ok } from 'node:assert/strict';
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
    // A tab can be dragged, and so does not take a press without a hand that moves; the keyboard it does take.
    await page.getByRole('button', { name: 'OpenOrders' }).press('Enter');
    await editor.getByText('the earliest ship date first').waitFor();
    await editor.getByText('the earliest ship date first').click();
    await page.keyboard.press('Control+Enter');
    await page.locator('.result-window').getByText('"totalCount"').waitFor();
  },

  'the playground keeps no header that is typed into it, for that may be a credential': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    await page.locator('.graphiql-query-editor').getByText('Five pets by name').waitFor();
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').click();
    await page.keyboard.type('{"authorization": "Bearer psk_secret"}');
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.locator('.result-window').getByText('"nodes"').waitFor();
    await page.getByText('psk_secret').first().waitFor();
    // It stores what it keeps a moment after the last key.
    await page.waitForTimeout(1_000);
    equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes('psk_secret')), false);
  },

  'the playground knows the schema': async ({ page, base }) => {
    await page.goto(`${base}/graphql`);
    await page.getByRole('button', { name: /show documentation explorer/i }).click();
    await page.getByText('root types', { exact: false }).first().waitFor();
  },
};
