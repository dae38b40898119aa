"""The public names of this package."""

from idealist.learn import tensors as tensors
from idealist.learn.cross_validation import cross_validate as cross_validate
from idealist.learn.cross_validation import folds_of as folds_of
from idealist.learn.importance import permutation_importance as permutation_importance
from idealist.learn.importance import select_features as select_features
from idealist.learn.importance import summarise_features as summarise_features
from idealist.learn.models.bag import Bag as Bag
from idealist.learn.models.base import Model as Model
from idealist.learn.models.files import load_model as load_model
from idealist.learn.models.files import save_model as save_model
from idealist.learn.models.linear import Linear as Linear
from idealist.learn.models.neural import Neural as Neural
from idealist.learn.trainers.base import Trainer as Trainer
from idealist.learn.trainers.registry import trainer_named as trainer_named
from idealist.learn.training import train as train
