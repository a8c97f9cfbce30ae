import { testTextsOfFindings } from '../../../harness/properties/findings.ts'
import { faultCatalogue } from '../../../src/simulator/faults/fault-catalogue.ts'

describe('The findings of a check', () => {
  testTextsOfFindings(faultCatalogue)
})
