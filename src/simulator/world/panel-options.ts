/** The options that the installer of a panel sets, as the makers' guides describe it. */
export interface PanelOptions {
  /** Seconds from the begin of an alarm until its report. A disarm until then leaves no report. */
  readonly abortTime: number
  /** Seconds after the report of an alarm within which a disarm cancels it; 0 for never. */
  readonly cancelWindow: number
  /**
   * The effect of a door in the exit delay. `restart`: the second time that it is opened, the delay begins again, once.
   * `restart-or-home`: the same, and if no door was opened in it, the panel is armed HOME in the place of AWAY. `end-by-exit`: a
   * door that is closed ends the delay.
   */
  readonly exitMode: 'normal' | 'restart' | 'restart-or-home' | 'end-by-exit'
  /**
   * `none`: nobody can bypass a zone. `manual`: people and the service can, while it is disarmed. `force-arm`: the panel can be
   * armed past open zones, and bypasses those that are open at the end of the exit delay until the disarm.
   */
  readonly bypassMode: 'none' | 'manual' | 'force-arm'
  /**
   * True if a bypass by people outlives the disarm. Guides: it ends with the disarm after an arming. They do not say that of
   * a bypass that the service sends, so this is the panel on which it is not so.
   */
  readonly keepsBypass: boolean
  /**
   * The number of alarms of a zone in an arming after which the panel bypasses the zone until the disarm, or for 48 hours; 0 for
   * never.
   */
  readonly swingerStop: number
  /**
   * The things that make a partition not ready. `zones`: one that is open. `radio`: a jammed radio and a device that the panel does not
   * hear, too. `troubles`: also a trouble of the panel itself, such as lost mains power.
   */
  readonly notReadyBy: 'zones' | 'radio' | 'troubles'
  /** The groups of events that the panel reports to the service: all, those without armings and disarmings, or alarms alone. */
  readonly reports: 'all' | 'all-but-open-close' | 'alarms' | 'none'
}

/** The values that each option can have. */
export const optionValues: { readonly [Name in keyof PanelOptions]: readonly PanelOptions[Name][] } = {
  abortTime: [0, 15, 30, 45, 60, 120, 180, 240],
  cancelWindow: [0, 60, 300, 900, 3600, 14_400],
  exitMode: ['normal', 'restart', 'restart-or-home', 'end-by-exit'],
  bypassMode: ['none', 'manual', 'force-arm'],
  keepsBypass: [false, true],
  swingerStop: [0, 1, 2, 3],
  notReadyBy: ['zones', 'radio', 'troubles'],
  reports: ['all', 'all-but-open-close', 'alarms', 'none'],
}

/** The options of a panel from the factory, outside the USA. What makes it not ready there is not in the guides. */
export const factoryOptions: PanelOptions = {
  abortTime: 30,
  cancelWindow: 300,
  exitMode: 'normal',
  bypassMode: 'none',
  keepsBypass: false,
  swingerStop: 1,
  notReadyBy: 'radio',
  reports: 'all',
}

/**
 * The options of a simulated panel, unless others are chosen: whoever tries a flow need not wait for each alarm, and can
 * bypass a zone.
 */
export const usualOptions: PanelOptions = {
  ...factoryOptions,
  abortTime: 0,
  bypassMode: 'manual',
  swingerStop: 0,
}
