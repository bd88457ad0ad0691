/** How long a link for enrollment works, days. */
export const linkDays = Object.freeze({ usual: 7, max: 30 })
