import { checkBudget } from '../../../harness/properties/rate-limit-properties.ts'

describe('the budget', () => {
  checkBudget(100)
})
