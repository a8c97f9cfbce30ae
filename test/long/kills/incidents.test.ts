import { testIncidentKills } from '../../../harness/properties/incident-kills.ts'

describe('Incidents over kills of a real Node-RED', () => testIncidentKills(30))
