import type { SessionQuestion } from '../operations/operation.ts'
import type { CarryOut } from './processes.ts'

/** POST activate_siren (field fact): all sirens sound. */
export function activateSiren({ panel }: SessionQuestion): CarryOut {
  return () => {
    panel.siren.sound()
    return null
  }
}

/** POST disable_siren (field fact): all sirens are silent; an alarm continues. */
export function disableSiren({ panel }: SessionQuestion): CarryOut {
  return () => {
    panel.siren.silence()
    return null
  }
}
