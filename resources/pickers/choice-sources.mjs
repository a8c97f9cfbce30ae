import { labelName, optionName, stateName } from '../service-words.mjs'
import { listDevices, listZones } from './device-choices.mjs'
import { listEventLabels, listEventTypes } from './event-choices.mjs'
import {
  listCommandPartitions,
  listPartitions,
  listStateOptions,
  listStates,
  wholePanelName,
} from './partition-choices.mjs'

const fieldValue = (name) => $(`#node-input-${name}`).val()

/**
 * Source of the choices for each field: the kind that is requested, the function that builds the tree, the function
 * that names a word without the service, true if only one can be selected, and the other fields that the choices
 * depend on.
 */
export const sources = {
  partitions: { of: 'partitions', listItems: listPartitions, nameOf: wholePanelName },
  devices: { of: 'devices', listItems: listDevices },
  labels: { of: 'catalogue', listItems: listEventLabels, nameOf: labelName },
  typeIds: { of: 'catalogue', listItems: listEventTypes },
  partition: {
    of: 'partitions',
    listItems: listCommandPartitions,
    nameOf: wholePanelName,
    isSingle: true,
  },
  state: {
    of: 'partitions',
    listItems: (answer) => listStates(answer, fieldValue('partition')),
    nameOf: stateName,
    isSingle: true,
    dependsOn: '#node-input-partition',
  },
  zone: { of: 'devices', listItems: listZones, isSingle: true },
  options: {
    of: 'partitions',
    listItems: (answer) =>
      listStateOptions(answer, { state: fieldValue('state'), partition: fieldValue('partition') }),
    nameOf: optionName,
    dependsOn: '#node-input-state, #node-input-partition',
  },
}
