import { linkTo } from './links.js';

/**
 * The components that show the annotations in the document, on operations, parameters and schemas, from the same
 * extensions (`deprecated`, `x-stability`, `x-deprecated-since`, `x-deprecated-sunset`, `x-successor`).
 */
export function createAnnotations({ React: { createElement: h, Fragment }, getSystem }) {
  /** A badge for each level: an element may be beta and deprecated at once. */
  function Badges({ thing }) {
    return levelsOf(thing).map((level) => h('span', { key: level, className: `badge ${level}` }, level));
  }

  /** Since when an element is deprecated, how long it is served, and what to use instead. */
  function Note({ thing }) {
    if (!thing.get('deprecated')) return null;
    const since = thing.get('x-deprecated-since');
    const sunset = thing.get('x-deprecated-sunset');
    const successor = thing.get('x-successor');
    return h(
      'span',
      { className: 'note' },
      since && h('span', null, 'Deprecated since ', h('time', null, since), '. '),
      sunset && h('span', null, 'Sunset on ', h('time', null, sunset), '. '),
      successor && h('span', null, 'Use ', linked(successor), ' instead.'),
    );
  }

  function linked(successor) {
    const name = h('code', null, successor.get('operation') ?? successor.get('coordinate'));
    const href = linkTo(getSystem().specSelectors, successor.get('operationId'));
    return href === undefined ? name : h('a', { href }, name);
  }

  /** Adds the badges and the note after Swagger UI's own component. */
  const annotated = (Original, props, thing, element) =>
    h(Fragment, null, h(Original, props), thing != null && levelsOf(thing).length > 0 && element(thing));
  const both = (thing) => [h(Badges, { key: 'badges', thing }), h(Note, { key: 'note', thing })];
  const cell = (thing) => h('td', { className: 'annotations' }, both(thing));
  const row = (thing) => h('tr', { className: 'annotations-row' }, h('td'), cell(thing));
  const span = (thing) => h('span', { className: 'annotations' }, both(thing));
  return {
    Badges,
    Note,
    wrapComponents: {
      parameterRow: (Original) => (props) => annotated(Original, props, props.rawParam, row),
      Model: (Original) => (props) => annotated(Original, props, props.schema, span),
      // Swagger UI lists the keywords of a schema; annotations and examples are shown elsewhere already.
      Property: (Original) => (props) => (isShownElsewhere(props) ? null : h(Original, props)),
    },
  };
}

function levelsOf(thing) {
  return [thing.get('deprecated') && 'deprecated', thing.get('x-stability')].filter(Boolean);
}

function isShownElsewhere({ propKey, propVal }) {
  return /^(deprecated$|x-)/.test(propKey) || (propKey === 'example' && typeof propVal === 'object');
}
