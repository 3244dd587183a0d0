import pypto.language as pl
