import { testIncidentKills } from '../../../../harness/kills/incident-kills.ts'
import { repetitions } from '../../../../harness/mocha/depth.ts'

describe('Incidents over kills of a real Node-RED', () => testIncidentKills(repetitions(30, 4)))
