/** The options that the installer of a panel sets, as the makers' guides describe it. */
export interface PanelOptions {
  /**
   * Seconds from the begin of an alarm until its report: 0, 15, 30, 45, 60, 120, 180 or 240. A disarm until then leaves no
   * report.
   */
  readonly abortTime: number
  /** Seconds after the report of an alarm within which a disarm cancels it: 0 for never, 60, 300, 900, 3600 or 14,400. */
  readonly cancelWindow: number
  /**
   * True if a bypass outlives the disarm. Guides: it ends with the disarm after an arming. They do not say that of a bypass
   * that the service sends, so this is the panel on which it is not so.
   */
  readonly keepsBypass: boolean
}

/** The options of a panel from the factory, outside the USA. */
export const factoryOptions: PanelOptions = { abortTime: 30, cancelWindow: 300, keepsBypass: false }

/** The options of a simulated panel, unless others are chosen: whoever tries a flow need not wait for each alarm. */
export const usualOptions: PanelOptions = { ...factoryOptions, abortTime: 0 }
