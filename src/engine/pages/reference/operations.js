/**
 * The operations of the document for the navigation: group -> tags -> operations, in the document's order. Tags without
 * operations are left out.
 */
export function groupsOf(specSelectors) {
  const tagged = specSelectors.taggedOperations();
  return specSelectors
    .specJson()
    .get('x-tagGroups')
    .toArray()
    .map((group) => ({
      name: group.get('name'),
      tags: group
        .get('tags')
        .toArray()
        .map((name) => ({
          name,
          description: tagged.getIn([name, 'tagDetails', 'description']),
          operations: tagged.getIn([name, 'operations']).toArray(),
        }))
        .filter(({ operations }) => operations.length > 0),
    }));
}

/** The link to an operation within the page; undefined if the document does not have the operation. */
export function linkTo(specSelectors, operationId) {
  const found = specSelectors.operations().find((one) => one.getIn(['operation', 'operationId']) === operationId);
  return found && addressOf(found.getIn(['operation', 'tags', 0]), operationId);
}

/** The URL fragment of an operation, in the format of Swagger UI's deep links. */
export function addressOf(tag, operationId) {
  return `#/${encodeURIComponent(tag)}/${operationId}`;
}
