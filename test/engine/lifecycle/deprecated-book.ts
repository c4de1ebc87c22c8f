/** The clock at an instant. */
export const at = (instant: string) => () => new Date(instant);
/** The link to the page about deprecations. */
export const page = '<https://books.example/v1/lifecycle>';
const FIELDS = ['api-stability', 'deprecation', 'sunset', 'link', 'warning'];

/** The header fields about the lifecycle. */
export function lifecycleOf({ headers }: { headers: Readonly<Record<string, string | undefined>> }): object {
  return Object.fromEntries(FIELDS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/** Those of the deprecated `GET /books/2`. */
export const deprecatedBook = {
  'api-stability': 'deprecated',
  deprecation: '@1767225600',
  sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
  warning:
    '299 - "GET /books/{bookId} is deprecated since 2026-01-01 and served until 2026-12-31; use GET /books?id={bookId} instead"',
  link: `<https://books.example/v1/books?id=2>; rel="successor-version", ${page}; rel="deprecation"; type="text/html", ${page}; rel="sunset"`,
};
