/**
 * The keys of MQTT discovery that Home Assistant documents for the platforms that we use, written from its documentation
 * (home-assistant.io/integrations/mqtt and the pages of the platforms) and the checks in its source, November 2026. It
 * ignores unknown keys of an entity, so only this list finds one.
 */

/** The keys of one platform besides those of every entity. */
interface PlatformSchema {
  required: readonly string[]
  optional: readonly string[]
  /** The device classes that we use, with the units that each may have. */
  classes?: Readonly<Record<string, readonly (string | undefined)[]>>
}

const everyEntity = [
  'availability',
  'availability_mode',
  'default_entity_id',
  'enabled_by_default',
  'encoding',
  'entity_category',
  'entity_picture',
  'icon',
  'json_attributes_template',
  'json_attributes_topic',
  'name',
  'qos',
  'unique_id',
]

/** The schema of each platform. */
export const platformSchemas: Readonly<Record<string, PlatformSchema>> = {
  alarm_control_panel: {
    required: ['command_topic', 'state_topic', 'unique_id'],
    optional: [
      ...everyEntity,
      'code',
      'code_arm_required',
      'code_disarm_required',
      'code_trigger_required',
      'command_template',
      'retain',
      'supported_features',
      'value_template',
    ],
  },
  binary_sensor: {
    required: ['state_topic', 'unique_id'],
    optional: [...everyEntity, 'device_class', 'expire_after', 'off_delay', 'value_template'],
    classes: Object.fromEntries(
      [
        ...['battery', 'carbon_monoxide', 'connectivity', 'door', 'gas', 'heat', 'moisture', 'opening'],
        ...['problem', 'safety', 'smoke', 'tamper', 'window'],
      ].map((name) => [name, [undefined]]),
    ),
  },
  button: {
    required: ['command_topic', 'unique_id'],
    optional: [...everyEntity, 'command_template', 'device_class', 'payload_press', 'retain'],
  },
  device_automation: {
    required: ['automation_type', 'subtype', 'topic', 'type'],
    optional: ['payload', 'qos', 'value_template'],
  },
  event: {
    required: ['event_types', 'state_topic', 'unique_id'],
    optional: [...everyEntity, 'device_class', 'value_template'],
  },
  sensor: {
    required: ['state_topic', 'unique_id'],
    optional: [
      ...everyEntity,
      'device_class',
      'expire_after',
      'options',
      'state_class',
      'suggested_display_precision',
      'unit_of_measurement',
      'value_template',
    ],
    classes: {
      duration: ['s', 'min', 'h', 'd'],
      enum: [undefined],
      illuminance: ['lx'],
      temperature: ['°C'],
      timestamp: [undefined],
    },
  },
  switch: {
    required: ['command_topic', 'unique_id'],
    optional: [...everyEntity, 'device_class', 'optimistic', 'retain', 'state_topic', 'value_template'],
  },
}

const deviceKeys = [
  ...['configuration_url', 'connections', 'hw_version', 'identifiers', 'manufacturer', 'model', 'model_id'],
  ...['name', 'serial_number', 'suggested_area', 'sw_version', 'via_device'],
]
const originKeys = ['name', 'support_url', 'sw_version']
const deviceFormKeys = [
  ...[
    'availability',
    'availability_mode',
    'command_topic',
    'components',
    'device',
    'encoding',
    'origin',
    'qos',
  ],
  'state_topic',
]

type Json = Record<string, unknown>

/** Returns what is wrong with an announcement of one entity; an empty list if nothing is. */
export function entityFaults(platform: string, config: Json): string[] {
  const schema = platformSchemas[platform]
  if (schema === undefined) return [`${platform} is not a platform`]
  const unknown = Object.keys(config).filter((key) => ![...schema.required, ...schema.optional].includes(key))
  const missing = schema.required.filter((key) => !(key in config))
  const kind = config.device_class as string | undefined
  const units = kind === undefined ? undefined : schema.classes?.[kind]
  const unit = config.unit_of_measurement as string | undefined
  return [
    ...unknown.map((key) => `${platform}: unknown key ${key}`),
    ...missing.map((key) => `${platform}: ${key} is missing`),
    ...(kind !== undefined && !units?.includes(unit) ? [`${platform}: ${kind} in ${unit}`] : []),
    ...(typeof config.unique_id === 'string' && !/^[\w-]+$/.test(config.unique_id) ? ['unique_id'] : []),
  ]
}

/** Returns what is wrong with an announcement of a device, or of one entity with the platform of its topic. */
export function announcementFaults(topic: string, payload: string): string[] {
  const [, platform = ''] = /^[^/]+\/(\w+)\/[\w-]+\/config$/.exec(topic) ?? []
  const announcement: Json = JSON.parse(payload)
  const { device, origin } = announcement as { device?: Json; origin?: Json }
  if (platform === '') return [`${topic} is no topic of an announcement`]
  if (device === undefined || origin === undefined) return ['device or origin is missing']
  const shared = [
    ...Object.keys(device).filter((key) => !deviceKeys.includes(key)),
    ...Object.keys(origin).filter((key) => !originKeys.includes(key)),
    ...(Array.isArray(device.identifiers) && device.identifiers.length > 0 ? [] : ['identifiers']),
    ...(origin.name ? [] : ['origin without a name']),
  ]
  if (platform !== 'device') {
    const { device: _device, origin: _origin, ...config } = announcement
    return [...shared, ...entityFaults(platform, config)]
  }
  const components = (announcement.components ?? {}) as Record<string, Json>
  return [
    ...shared,
    ...Object.keys(announcement).filter((key) => !deviceFormKeys.includes(key)),
    ...Object.values(components).flatMap(({ platform: of, ...config }) =>
      // An entity that is to be removed has no more than its platform.
      Object.keys(config).length === 0 ? [] : entityFaults(String(of), config),
    ),
  ]
}
