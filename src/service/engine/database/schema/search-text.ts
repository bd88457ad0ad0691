/** The texts that a person is found by, one per line: names and address, names of devices in use, serial numbers. */
export const searchText = (
  joinColumns: (column: string) => string,
): string => `u.username || chr(10) || u.name || chr(10) || u.email
  || coalesce((select chr(10) || ${joinColumns('d.name')} from device d where d.user_id = u.id and d.revoked_at is null), '')
  || coalesce((select chr(10) || ${joinColumns('h.serial_number')} from hardware_token h where h.user_id = u.id), '')`
