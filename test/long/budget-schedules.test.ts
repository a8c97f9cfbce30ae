import { checkBudget } from '../account/budget-property.ts'

describe('the budget', () => {
  checkBudget(10_000)
})
