import type { SessionRequest } from '../operation.ts'
import type { CommandExecutor } from '../processes.ts'

/** POST activate_siren (field fact): all sirens sound. */
export function activateSiren({ panel }: SessionRequest): CommandExecutor {
  return () => {
    panel.siren.sound()
    return null
  }
}

/** POST disable_siren (field fact): all sirens are silent; an alarm continues. */
export function disableSiren({ panel }: SessionRequest): CommandExecutor {
  return () => {
    panel.siren.silence()
    return null
  }
}
