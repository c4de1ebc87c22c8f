/**
 * The operations of the document as its navigation has them: group -> tags -> operations, each in the document's order.
 * Tags without an operation are left out.
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

/** The address, within the page, of an operation; undefined for none of the document's. */
export function linkTo(specSelectors, operationId) {
  const found = specSelectors.operations().find((one) => one.getIn(['operation', 'operationId']) === operationId);
  return found && addressOf(found.getIn(['operation', 'tags', 0]), operationId);
}

/** As Swagger UI's deep links have it. */
export function addressOf(tag, operationId) {
  return `#/${encodeURIComponent(tag)}/${operationId}`;
}
