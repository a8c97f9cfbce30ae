import { badParams, ok } from '../http-response.ts'
import { definePanelRead, type Operation } from '../operation.ts'
import { eventProfiles, standardLog } from '../responses/events.ts'
import { configurationList, remoteInspection } from '../responses/maintenance.ts'
import { customization } from '../responses/panels.ts'

/**
 * The operations that are the same in both services, with a user token only (interface specification 5.4).
 *
 * Field fact: only installer services have the log, the inspections and the configurations. The specification
 * does not separate the services, so the end-user service here has them too.
 */
export const sharedOperations: readonly Operation[] = [
  {
    name: 'apptype',
    method: 'GET',
    needs: 'nothing',
    answer: () => {
      const { apptype, android, ios } = customization.data
      return ok({ apptype, android, ios })
    },
  },
  {
    name: 'had/rules/event-profiles',
    method: 'GET',
    needs: 'user token',
    argument: true,
    answer: ({ argument }) => {
      const profiles = eventProfiles(argument)
      return profiles ? ok(profiles) : badParams([{ key: 'locale', value: 'incorrect' }])
    },
  },
  definePanelRead('standard_log', ({ panel }, { world, locale }) => standardLog(panel, world.time, locale)),
  definePanelRead('rri_results', ({ panel }, { world }) => remoteInspection(panel, world.time)),
  definePanelRead('configuration_list', (_request, { world }) => configurationList(world.time)),
]
