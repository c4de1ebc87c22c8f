/** The documents that the playground opens, each in a tab. */
export const playground: readonly string[] = [
  `# Five pets by name, with category and stock.
query Pets {
  pets(first: 5, sort: name) {
    nodes {
      id
      name
      status
      category {
        name
      }
      inventory {
        quantity
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  `# Orders that are not complete, the earliest ship date first.
query OpenOrders {
  orders(complete: false, sort: shipDate, first: 5) {
    totalCount
    nodes {
      id
      quantity
      shipDate
      pet {
        name
      }
    }
  }
}
`,
  `# All annotated elements, and who still uses them.
query Lifecycle {
  lifecycle {
    coordinate
    level
    sunset
    daysLeft
    successor
    verdict
    usesByClient {
      client
      uses
      lastSeenAt
    }
  }
}
`,
  `# A new pet in the first category.
mutation NewPet {
  createPet(pet: { name: "Rex", categoryId: 1 }) {
    id
    name
    status
  }
}
`,
];
