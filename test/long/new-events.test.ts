import { checkFeed } from '../../harness/properties/new-events-properties.ts'

describe('The feed of a panel', () => {
  checkFeed(1000)
})
