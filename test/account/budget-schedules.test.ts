import { checkBudget } from './budget-property.ts'

describe('the budget', () => {
  checkBudget(100)
})
