/** What a policy is called that is meant for the server, which needs none. */
export const FOR_THE_SERVER = /system|service|trigger|server|backend|webhook|function/i
