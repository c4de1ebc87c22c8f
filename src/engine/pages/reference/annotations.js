import { linkTo } from './links.js';

/** A badge for each level: an element may be beta and deprecated at once. */
export function badgesOf(h, thing) {
  return levelsOf(thing).map((level) => h('span', { key: level, className: `badge ${level}` }, level));
}

/** Since when an element is deprecated, how long it is served, and what to use instead. */
export function noteOf(h, { specSelectors }, thing) {
  if (!thing.get('deprecated')) return null;
  const since = thing.get('x-deprecated-since');
  const sunset = thing.get('x-deprecated-sunset');
  const reason = thing.get('x-deprecated-reason');
  const successor = thing.get('x-successor');
  const name =
    successor && h('code', null, successor.get('operation') ?? successor.get('name') ?? successor.get('coordinate'));
  const href = successor && linkTo(specSelectors, successor.get('operationId'));
  return h(
    'span',
    { className: 'note' },
    since && h('span', null, 'Deprecated since ', h('time', null, since), '. '),
    sunset && h('span', null, 'Sunset on ', h('time', null, sunset), '. '),
    reason && h('span', null, reason, ' '),
    successor && h('span', null, 'Use ', href ? h('a', { href }, name) : name, ' instead.'),
  );
}

/**
 * Shows the annotations in the document on parameters and schemas, after Swagger UI's own component. They are in the
 * same extensions as those of operations.
 */
export function annotations({ React: { createElement: h, Fragment }, getSystem }) {
  const annotated = (Original, props, thing, element) => {
    const isAnnotated = thing != null && (levelsOf(thing).length > 0 || valuesOf(thing).length > 0);
    return h(Fragment, null, h(Original, props), isAnnotated && element(thing));
  };
  const within = (tag, thing) => {
    const shown = (one) => [badgesOf(h, one), noteOf(h, getSystem(), one)];
    const values = valuesOf(thing).map(([name, value]) =>
      h('span', { key: name, className: 'value' }, h('code', null, name), ...shown(value)),
    );
    return h(tag, { className: 'annotations' }, ...shown(thing), values);
  };
  const row = (thing) => h('tr', { className: 'annotations-row' }, h('td'), within('td', thing));
  const span = (thing) => within('span', thing);
  return {
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

/** The annotated values of an enum, or of the enum that a parameter takes one or several values of. */
function valuesOf(thing) {
  const schema = thing.get('schema') ?? thing;
  const values = schema.get('x-enum-marks') ?? schema.getIn(['items', 'x-enum-marks']);
  return values === undefined ? [] : [...values.entries()];
}

function isShownElsewhere({ propKey, propVal }) {
  return /^(deprecated$|x-)/.test(propKey) || (propKey === 'example' && typeof propVal === 'object');
}
