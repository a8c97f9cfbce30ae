// Loaded into a process of tests: a property ends with the first input that fails, whose number its message tells.

import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
