import { testConditionKills } from '../../../../harness/kills/condition-kills.ts'

describe('Conditions over kills of a real Node-RED', () => testConditionKills(24))
