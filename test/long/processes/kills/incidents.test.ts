import { testIncidentKills } from '../../../../harness/kills/incident-kills.ts'

describe('Incidents over kills of a real Node-RED', () => testIncidentKills(30))
