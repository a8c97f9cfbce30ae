import { testStories } from '../../harness/simulation/truth-properties.ts'

describe('All that nodes tell is true', () => testStories())
