import { checkFeed } from '../panel/feed-property.ts'

describe('The feed of a panel', () => {
  checkFeed(1000)
})
