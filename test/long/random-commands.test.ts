import { checkCommands } from '../panel/commands/random-commands-property.ts'

describe('However commands, faults and ends of flows follow one another,', () => {
  checkCommands(200)
})
