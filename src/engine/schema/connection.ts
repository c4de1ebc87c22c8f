import type { List } from '../db/list.ts';
import { DEFAULT_PAGE_SIZE, isScanned, MAX_PAGE_SIZE, type Page, type PageWindow, readWindow } from '../db/paging.ts';
import { cursor, integerFrom } from './bounds.ts';
import type { Builder, RowRef } from './builder.ts';
import type { ConnectionExtension } from './connection-type.ts';

interface Edge<Row> {
  readonly node: Row;
  readonly page: Page<Row>;
}

/** The maximum: with a name whose characters are all escaped. */
const CURSOR = { bytes: 1_800 };

const size = integerFrom(1, MAX_PAGE_SIZE);

export function connections(builder: Builder) {
  const PageInfo = builder.objectRef<Page<unknown>>('PageInfo').implement({
    description: 'The position of a page in its list, as the Relay cursor connections specification defines it.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', {
        description:
          'Whether there are rows after this page: with `before`, only those that precede it. With `last`, it is whether `before` is given.',
      }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
        description:
          'With `last`, whether there are rows before this page: with `after`, only those that follow it. Otherwise it is whether `after` is given.',
      }),
      startCursor: t.string({
        extensions: CURSOR,
        nullable: true,
        description: 'The cursor of the first row. Null if the page is empty.',
        resolve: (page) => cursorAt(page, 0),
      }),
      endCursor: t.string({
        extensions: CURSOR,
        nullable: true,
        description: 'The cursor of the last row, to pass as `after` for the next page. Null if the page is empty.',
        resolve: (page) => cursorAt(page, -1),
      }),
    }),
  });

  const pagingArgs = builder.args((t) => ({
    first: t.int({
      bounds: size,
      description: `The number of rows to return from the start; ${DEFAULT_PAGE_SIZE} if neither \`first\` nor \`last\` is given.`,
    }),
    after: t.string({ bounds: cursor, description: 'Only rows after the row with this cursor.' }),
    last: t.int({ bounds: size, description: 'The number of rows to return from the end; not together with `first`.' }),
    before: t.string({ bounds: cursor, description: 'Only rows before the row with this cursor.' }),
  }));

  return { connectionTo, pagingArgs };

  /**
   * Creates a connection type, by the Relay cursor connections specification.
   *
   * @param plural the name of the rows in descriptions
   * @param list the list that its cursors belong to; in the order of ids for a field without an argument `sort`
   */
  function connectionTo<Row, SortName extends string>(
    node: RowRef<Row>,
    plural: string,
    list: List<List['columns'], string, SortName | 'id'>,
  ) {
    const connection: ConnectionExtension = {
      assertWindow({ sort, ...window }: PageWindow & { readonly sort?: SortName | null | undefined }) {
        readWindow(list, sort ?? 'id', window);
      },
      // The sort of an invalid request may not even convert to a string.
      scannedList: (given) =>
        isScanned(list, typeof given.sort === 'object' ? { ...given, sort: null } : given) ? list : undefined,
      defaultPageSize: DEFAULT_PAGE_SIZE,
    };
    const edge = builder.objectRef<Edge<Row>>(`${node.name}Edge`).implement({
      description: `One of the ${plural} of a page, with its cursor.`,
      fields: (t) => ({
        cursor: t.string({
          extensions: CURSOR,
          description: 'The cursor of the row, to pass as `after` or `before`.',
          resolve: ({ node: row, page }) => page.cursorOf(row),
        }),
        node: t.expose('node', { type: node, description: 'The row.' }),
      }),
    });
    return builder.objectRef<Page<Row>>(`${node.name}Connection`).implement({
      description: `A page of ${plural}.`,
      extensions: { connection },
      fields: (t) => ({
        nodes: t.field({
          type: [node],
          description: `The ${plural} of the page.`,
          resolve: (page) => [...page.rows],
        }),
        edges: t.field({
          type: [edge],
          description: `The ${plural} of the page, each with its cursor.`,
          resolve: (page) => page.rows.map((row) => ({ node: row, page })),
        }),
        pageInfo: t.field({
          type: PageInfo,
          description: 'The position of the page in the list.',
          resolve: (page) => page,
        }),
        totalCount: t.int({
          description: `The number of ${plural} in the whole list. It is counted only if it is selected.`,
          counts: list,
          resolve: (page) => page.count(),
        }),
      }),
    });
  }
}

function cursorAt({ rows, cursorOf }: Page<unknown>, index: number): string | null {
  const row = rows.at(index);
  return row === undefined ? null : cursorOf(row);
}
