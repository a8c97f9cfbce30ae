import type { Answer } from '../../account/answer.ts'
import { type PanelAlert, type Trouble, typeOfSource } from '../../service/responses/alarms.ts'
import type { Device } from '../../service/responses/devices.ts'
import { utcTime } from '../../service/time.ts'
import { afterAnswer, type ListRecord, nothingKnown } from '../snapshot.ts'
import { isOfPanel, nameOfSource, showsTraits } from './device.ts'
import type { PanelDevices, PanelFault, PanelFaults, ZoneFault } from './readings.ts'

/** The number of devices that are remembered as gone; the largest panels have fewer than 300. */
const maxGone = 500

/** Knows the devices of a panel, also those that one list lacks, and those that are gone. */
export class KnownDevices {
  #record: ListRecord<Device> = nothingKnown
  /** By id, those that went last at the end. */
  readonly #gone = new Map<string, Device>()

  /**
   * Returns the devices after a list. One that is gone is back with the first list that has it.
   * @param isCurrent false if the panel may be offline: its last list proves nothing
   * @param validFor milliseconds after which an earlier list is no longer the one before
   */
  note(list: Answer<readonly Device[]>, isCurrent: boolean, validFor: number): PanelDevices {
    const devices = list.value.map((device) => this.#withTraits(device))
    const listed = new Map(devices.map((device) => [`${device.id}`, device]))
    // A panel has at least itself.
    const isReliable = isCurrent && devices.length > 0
    const { record, held, gone } = afterAnswer(this.#record, listed, { ...list, isReliable, validFor })
    this.#record = record
    for (const device of gone) this.#gone.set(`${device.id}`, device)
    for (const id of listed.keys()) this.#gone.delete(id)
    for (const id of [...this.#gone.keys()].slice(0, -maxGone)) this.#gone.delete(id)
    return { listed: devices, held, gone: [...this.#gone.values()], hasAll: record.isWhole, isCurrent }
  }

  /**
   * Returns a device that has lost all traits with its last known ones.
   *
   * An offline panel shows its devices without any trait (field fact). Without the trait `location` a device would lose
   * its label, and so its topic, and a request for its temperature would have no answer. The remembered traits have
   * their own dates, and messages of an offline panel are marked as stale.
   */
  #withTraits(device: Device): Device {
    const known = showsTraits(device) ? undefined : this.#record.entries.get(`${device.id}`)
    return known === undefined ? device : { ...device, traits: known.traits }
  }
}

/** The lists of the service that tell faults; undefined for one that is not read. */
export interface FaultLists {
  troubles: Answer<readonly Trouble[]> | undefined
  alerts: Answer<readonly PanelAlert[]> | undefined
}

/** Knows the faults that a panel reports of itself, also those that one list lacks. */
export class KnownFaults {
  #troubles: ListRecord<PanelFault | ZoneFault> = nothingKnown
  #alerts: ListRecord<PanelFault | ZoneFault> = nothingKnown

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
      const faults = troubles.value.flatMap((one) => faultOf(one.trouble_type, null, one))
      const answer = { ...troubles, isReliable, validFor }
      this.#troubles = afterAnswer(this.#troubles, byPlace(faults), answer).record
    }
    if (alerts !== undefined) {
      const faults = alerts.value.flatMap((one) => {
        return faultOf(one.alert_type, utcTime(one.datetime, timeZone), one)
      })
      const answer = { ...alerts, isReliable, validFor }
      this.#alerts = afterAnswer(this.#alerts, byPlace(faults), answer).record
    }
    const known = [this.#troubles, this.#alerts].filter(({ latest }) => latest !== undefined)
    const all = [...byPlace(known.flatMap(({ entries }) => [...entries.values()])).values()]
    const present = all.filter((fault) => !isOfZone(fault))
    const ofZones = all.filter(isOfZone)
    const areAll = isReliable && known.every(({ isWhole }) => isWhole)
    return { present, ...(ofZones.length > 0 && { ofZones }), areAll }
  }
}

/** Returns the fault of the panel itself, or of a zone without the type of its device, that an entry of a list tells. */
function faultOf(
  type: string,
  since: string | null,
  entry: Trouble | PanelAlert,
): (PanelFault | ZoneFault)[] {
  const { zone } = entry
  if (!isOfPanel(entry)) return []
  if (zone === null || typeOfSource(entry) !== 'ZONE') return [{ type, since }]
  return [{ type, since, zone, name: nameOfSource(entry) }]
}

function isOfZone(fault: PanelFault | ZoneFault): fault is ZoneFault {
  return 'zone' in fault
}

/** Returns faults by zone and type; one that is only remembered is none. */
function byPlace(faults: readonly (PanelFault | ZoneFault)[]): Map<string, PanelFault | ZoneFault> {
  const standing = faults.filter(({ type }) => !type.endsWith('_MEMORY'))
  return new Map(
    standing.map((fault) => [isOfZone(fault) ? `${fault.zone} ${fault.type}` : fault.type, fault]),
  )
}
