import type { Locator, Page } from 'playwright-core';

/** An operation in the OpenAPI document. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly 'x-stability'?: string;
  readonly 'x-hideTryItPanel'?: boolean;
  readonly 'x-deprecated-sunset'?: string;
  readonly 'x-deprecated-reason'?: string;
  readonly 'x-successor'?: { readonly operationId: string; readonly operation: string };
}

/** The parts of the OpenAPI document that the reference must show. */
interface Documented {
  readonly groups: readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly operations: readonly DocumentedOperation[];
}

/** Reads the OpenAPI document that the page is generated from. */
export async function readDocument(page: Page, base: string): Promise<Documented> {
  const document = (await (await page.request.get(`${base}/openapi.json`)).json()) as {
    'x-tagGroups': Documented['groups'];
    paths: Record<string, Record<string, Omit<DocumentedOperation, 'method' | 'path'>>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const isUsed = (tag: string) => operations.some(({ tags }) => tags.includes(tag));
  return {
    groups: document['x-tagGroups'].map(({ name, tags }) => ({ name, tags: tags.filter(isUsed) })),
    operations,
  };
}

/** Opens the reference, and waits until it is ready. */
export async function goToReference(page: Page, base: string, hash = ''): Promise<void> {
  await page.goto(`${base}/reference${hash}`);
  await page.locator('.operation').first().waitFor();
}

/** Expands an operation of the page. */
export async function openOperation(page: Page, operationId: string): Promise<Locator> {
  const operation = page.locator(`#${operationId}`);
  const summary = operation.locator('.summary');
  if ((await summary.getAttribute('aria-expanded')) === 'false') await summary.click();
  await operation.getByRole('heading', { name: 'Responses' }).waitFor();
  return operation;
}

/** Opens each operation in turn, and closes it: the page takes longer for each operation that is open. */
export async function inspectOperations(
  page: Page,
  base: string,
  inspect: (operation: Locator, documented: DocumentedOperation) => Promise<void>,
): Promise<void> {
  const { operations } = await readDocument(page, base);
  for (const documented of operations) {
    const operation = await openOperation(page, documented.operationId);
    await inspect(operation, documented);
    await operation.locator('.summary').click();
  }
}

/** Starts "Try it out" for an operation. */
export async function tryItOut(page: Page, operationId: string): Promise<Locator> {
  const operation = await openOperation(page, operationId);
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).waitFor();
  return operation;
}

/** Sends the request, and waits for the response. */
export async function execute(operation: Locator): Promise<void> {
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.getByRole('heading', { name: 'Server response' }).waitFor();
}
