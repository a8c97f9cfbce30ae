const profiles =
  `EP_ALL EP_ALERT EP_ALARM EP_RESTORE EP_OPEN_CLOSE EP_CAMERA_VIEWED EP_CAMERA_TROUBLE EP_HOME_DEVICES_ON_OFF
  EP_HOME_DEVICES_TROUBLE EP_ONLINE EP_OFFLINE EP_NOTICE EP_RRI EP_ZONE_OPEN_CLOSE EP_TEMPERATURE EP_ILLUMINANCE
  EP_SYSTEM_PUSH_MSG EP_DURESS EP_SYSTEM_EMAIL`.split(/\s+/)

const parameter = (name: string, type: string, values?: readonly string[]) => ({
  name,
  type,
  ...(values ? { values } : {}),
})

/**
 * GET had/rules/restrictions (field fact): triggers and actions of the service's rules; it names all
 * profiles.
 */
export const restrictions = {
  triggers: [
    { name: 'EventProfile', parameters: [parameter('profiles', 'Set<string>', profiles)] },
    { name: 'StateChanged', parameters: [parameter('state', 'string'), parameter('partition', 'int')] },
    {
      name: 'ZoneChanged',
      parameters: [parameter('zone', 'int'), parameter('state', 'string', ['Open', 'Close'])],
    },
  ],
  actions: [
    {
      name: 'SetState',
      parameters: [
        parameter('state', 'string'),
        parameter('options', 'string[]', ['NOENTRY', 'NOEXIT', 'LATCHKEY']),
        parameter('partition', 'int'),
      ],
    },
    { name: 'SendEmail', parameters: [parameter('body', 'string')] },
  ],
}
