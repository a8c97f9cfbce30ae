import { inputs } from '../../../harness/mocha/depth.ts'
import { testConditions } from '../../../harness/properties/condition-properties.ts'
import { testIncidents } from '../../../harness/properties/incident-properties.ts'

describe('The conditions that a node tells', () => testConditions(inputs(150)))
describe('The incidents that a node tells', () => testIncidents(inputs(50), inputs(10)))
