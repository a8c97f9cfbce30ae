import type { Answer } from '../../account/answer.ts'
import type { PanelAlert, Trouble } from '../../service/responses/alarms.ts'
import { utcTime } from '../../service/time.ts'
import { afterAnswer, type ListRecord, listAnswer, nothingKnown } from '../evidence.ts'

/** A fault that the panel reports of itself, such as `AC_FAILURE`: no warning of a device need tell it. */
export interface PanelFault {
  /** The service's word for it. */
  type: string
  /** ISO 8601 in UTC; null if the service does not tell it. */
  since: string | null
}

/** The faults that a panel reports of itself. */
export interface PanelFaults {
  /** Also those that one list lacks: only a second one shows that they are over. */
  present: readonly PanelFault[]
  /** True once two lists agree: there is no other fault. */
  areAll: boolean
}

/** The lists of the service that tell faults; undefined for one that is not read. */
export interface FaultLists {
  troubles: Answer<readonly Trouble[]> | undefined
  alerts: Answer<readonly PanelAlert[]> | undefined
}

/** Types of devices that are the panel itself. */
const ownTypes: ReadonlySet<string> = new Set(['CONTROL_PANEL', 'POWER_LINK', ''])

/** Knows the faults that a panel reports of itself, also those that one list lacks. */
export class KnownFaults {
  #troubles: ListRecord<PanelFault> = nothingKnown
  #alerts: ListRecord<PanelFault> = nothingKnown

  /**
   * Returns the faults after lists were read, or read again.
   * @param isReliable false if the panel may be offline, or if a list could not be read: what they lack may be there
   * @param validFor milliseconds after which an earlier list is no longer the one before
   */
  note(
    { troubles, alerts }: FaultLists,
    isReliable: boolean,
    validFor: number,
    timeZone: string,
  ): PanelFaults {
    if (troubles !== undefined) {
      const faults = troubles.value.filter(isOwn).map(({ trouble_type: type }) => ({ type, since: null }))
      this.#troubles = afterAnswer(
        this.#troubles,
        byType(faults),
        listAnswer(troubles, isReliable, validFor),
      ).record
    }
    if (alerts !== undefined) {
      const faults = alerts.value.filter(isOwn).map(({ alert_type: type, datetime }) => {
        return { type, since: utcTime(datetime, timeZone) }
      })
      this.#alerts = afterAnswer(
        this.#alerts,
        byType(faults),
        listAnswer(alerts, isReliable, validFor),
      ).record
    }
    const known = [this.#troubles, this.#alerts].filter(({ latest }) => latest !== undefined)
    const present = known.flatMap(({ entries }) => [...entries.values()].map(({ value }) => value))
    const areAll = isReliable && known.every(({ isWhole }) => isWhole)
    return { present: [...byType(present).values()], areAll }
  }
}

function isOwn({ device_type }: Pick<Trouble, 'device_type'>): boolean {
  return ownTypes.has(device_type)
}

/** Returns faults by their type; one that is only remembered is none. */
function byType(faults: readonly PanelFault[]): Map<string, PanelFault> {
  return new Map(faults.filter(({ type }) => !type.endsWith('_MEMORY')).map((fault) => [fault.type, fault]))
}
