/** Which of the present values become messages: all, those that changed, or none, which only remembers them. */
export type Which = 'all' | 'changed' | 'none'
