import { testConditionKills } from '../../../harness/properties/condition-kills.ts'
import { testIncidentKills } from '../../../harness/properties/incident-kills.ts'
import { testKills } from '../../../harness/properties/kill-properties.ts'

describe('Events over kills of a real Node-RED', () => testKills(60))
describe('Conditions over kills of a real Node-RED', () => testConditionKills(24))
describe('Incidents over kills of a real Node-RED', () => testIncidentKills(30))
