import { checkKills } from '../runtime/kills-property.ts'

describe('Events over kills of a real Node-RED', () => {
  checkKills(60)
})
