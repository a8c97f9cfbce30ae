import { testIncidentKills } from '../../harness/properties/incident-kills.ts'
import { testIncidents } from '../../harness/properties/incident-properties.ts'

describe('Incidents over kills of a real Node-RED', () => {
  testIncidentKills(30)
})

describe('The incidents that a node tells', () => {
  testIncidents(50, 10)
})
