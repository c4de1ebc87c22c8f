CREATE TABLE "rate_limits" (
	"caller" text PRIMARY KEY NOT NULL,
	"window" bigint NOT NULL,
	"used" bigint NOT NULL
);
