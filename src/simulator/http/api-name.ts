/** The two services on one host: each has its own base path, tokens and operations (field fact). */
export type ApiName = 'end user' | 'installer'
