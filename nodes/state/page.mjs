// The category is described once, by the first of the nodes.
export const own = { categoryDescription: '@keyholder/node-red-alarm-panel/keyholder:account.category' }
