import { checkKills } from './kills-property.ts'

describe('Events over kills of a real Node-RED', () => {
  checkKills(5)
})
