import { testConditions } from '../../../harness/properties/condition-properties.ts'
import { testIncidents } from '../../../harness/properties/incident-properties.ts'

describe('The conditions that a node tells', () => testConditions(150))
describe('The incidents that a node tells', () => testIncidents(50, 10))
