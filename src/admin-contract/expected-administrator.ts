/** The header in which a page of the console names the administrator whom it shows: the cookie may be that of another one. */
export const expectedAdministrator = 'x-administrator'
