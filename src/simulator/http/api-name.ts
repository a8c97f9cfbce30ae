/** The two services on one host: each has a base path, tokens and operations of its own (field fact). */
export type ApiName = 'end user' | 'installer'
