/** What a policy is called that is meant for the server, which needs none. */
export const SERVICE_POLICY_NAME = /system|service|trigger|server|backend|webhook|function/i
