/** Gives every control of "Try it out" a name for screen readers. */
export function createControls({ React: { createElement: h }, getSystem }) {
  return {
    // Swagger UI looks up a component of this name for a list of int64, and warns if there is none.
    components: { JsonSchema_integer_int64: (props) => h(getSystem().getComponent('JsonSchema_string'), props) },
    wrapComponents: {
      JsonSchemaForm: (Original) => (props) =>
        h('div', { ref: (place) => nameControls(place, props.description) }, h(Original, props)),
      TextArea: (Original) => (props) => h(Original, { 'aria-label': 'Request body', ...props }),
    },
  };
}

function nameControls(place, name) {
  for (const control of place?.querySelectorAll('input, select') ?? []) control.setAttribute('aria-label', name);
}
